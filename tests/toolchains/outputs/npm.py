"""npm, pnpm, yarn."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "a version that does not exist",
        "npm ci",
        1,
        """
        npm error code ETARGET
        npm error notarget No matching version found for left-pad@^99.0.0.
        npm error notarget In most cases you or one of your dependencies are requesting
        npm error A complete log of this run can be found in: /home/ada/.npm/_logs/2026-01-02T03_04_05_006Z-debug-0.log
        """,
        (Place(None, None, "ETARGET", "No matching version found for left-pad@^99.0.0"),),
        moved="""
        npm ERR! code ETARGET
        npm ERR! notarget No matching version found for left-pad@^99.0.0.
        npm ERR! A complete log of this run can be found in: /home/ada/.npm/_logs/2026-01-09T13_14_15_016Z-debug-0.log
        """,
    ),
    Sample(
        "dependencies that do not go together",
        "cd web && npm install",
        1,
        """
        npm error code ERESOLVE
        npm error ERESOLVE unable to resolve dependency tree
        npm error
        npm error Found: react@19.0.0
        npm error Could not resolve dependency:
        npm error peer react@"^17.0.0" from old-widget@1.0.0
        """,
        (Place(None, None, "ERESOLVE", 'peer react@"^17.0.0" from old-widget@1.0.0'),),
    ),
    Sample(
        "a script that is missing",
        "npm run biuld",
        1,
        """
        npm error Missing script: "biuld"
        npm error
        npm error Did you mean this?
        npm error   npm run build # run the "build" package script
        """,
        (Place(message='Missing script: "biuld"'),),
    ),
    Sample(
        "a script that crashes is the error, not the lines about it",
        "npm run build",
        1,
        """

        > shop@1.0.0 build
        > node scripts/build.js

        /home/ada/shop/scripts/build.js:4
          throw new Error("no template");
          ^

        Error: no template
            at Object.<anonymous> (/home/ada/shop/scripts/build.js:4:9)
            at Module._compile (node:internal/modules/cjs/loader:1521:14)

        Node.js v22.0.0
        npm error Lifecycle script `build` failed with error:
        npm error code 1
        npm error path /home/ada/shop
        npm error command failed
        npm error command sh -c node scripts/build.js
        """,
        (Place("/home/ada/shop/scripts/build.js", 4, None, "no template"),),
    ),
    Sample(
        "a program that is not installed",
        "npm run lint",
        127,
        """

        > shop@1.0.0 lint
        > linty src

        sh: 1: linty: not found
        npm error code 127
        """,
        (Place(message="linty: not found"),),
    ),
    Sample(
        "pnpm",
        "pnpm install --frozen-lockfile",
        1,
        ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date\n',
        (Place(None, None, "ERR_PNPM_OUTDATED_LOCKFILE", "Cannot install with"),),
    ),
    Sample(
        "yarn",
        "yarn add nothing-here",
        1,
        """
        yarn add v1.22.22
        [1/4] Resolving packages...
        error Couldn't find package "nothing-here" on the "npm" registry.
        info Visit https://yarnpkg.com/en/docs/cli/add for documentation about this command.
        """,
        (Place(message='Couldn\'t find package "nothing-here"'),),
    ),
    Sample(
        "a warning",
        "npm install",
        0,
        """
        npm warn EBADENGINE Unsupported engine {
        npm warn EBADENGINE   package: 'shop@1.0.0',
        npm warn EBADENGINE }

        up to date in 200ms
        """,
        (Place(None, None, "EBADENGINE", "Unsupported engine", "warning"),),
    ),
    Sample("a script that passes", "npm run build", 0, "\n> shop@1.0.0 build\n> make-it\n\n0 errors, 0 failed\n"),
)
