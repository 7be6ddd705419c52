"""A decision that is signed with a person's key is told from a name that was typed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.memory.builders import Place


@pytest.fixture
def key(tmp_path: Path) -> Path:
    made = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(made)], check=True)
    (tmp_path / "signers").write_text(f"ada@example.org {made.with_suffix('.pub').read_text()}")
    return made


def _proofs(place: Place, *words: str) -> list[tuple[str, str | None]]:
    return [(one["proof"], one["signer"]) for one in place("verify", *words)["decisions"]]


def test_a_signed_acceptance_names_who_has_the_key(place: Place, key: Path, tmp_path: Path) -> None:
    ref = place.put("Exports need a check")
    place("accept", ref, "--by", "Ada", "--yes", "--sign", str(key))
    assert _proofs(place, ref, "--allowed-signers", str(tmp_path / "signers")) == [("signed", "ada@example.org")]


def test_a_typed_name_is_a_claim(place: Place, key: Path, tmp_path: Path) -> None:
    place.accepted("Exports need a check")
    assert _proofs(place, "--allowed-signers", str(tmp_path / "signers")) == [("unsigned", None)]
    assert "the name is a claim" in place.run("memory", "verify")[1]


def test_a_key_that_is_not_among_the_allowed_ones_proves_nothing(place: Place, key: Path, tmp_path: Path) -> None:
    ref = place.put("Exports need a check")
    place("accept", ref, "--by", "Ada", "--yes", "--sign", str(key))
    (tmp_path / "signers").write_text("")
    assert _proofs(place, "--allowed-signers", str(tmp_path / "signers")) == [("unknown_key", None)]


def test_a_signature_of_another_decision_is_invalid(place: Place, key: Path, tmp_path: Path) -> None:
    refs = [place.put("Exports need a check"), place.put("Imports run at night")]
    place("accept", refs[0], "--by", "Ada", "--yes", "--sign", str(key))
    folder = place.home / "memory-signatures"
    (first,) = folder.iterdir()
    place("accept", refs[1], "--by", "Ada", "--yes", "--sign", str(key))
    (second,) = {*folder.iterdir()} - {first}
    second.write_bytes(first.read_bytes())
    code, out, _ = place.run("memory", "verify", refs[1], "--allowed-signers", str(tmp_path / "signers"), "--json")
    assert (code, '"proof":"invalid"' in out) == (1, True)


def test_an_acceptance_that_another_hand_wrote_fails(place: Place) -> None:
    place.accepted("Exports need a check")
    (place.home / "memory-seal").unlink()
    assert place.run("memory", "verify")[0] == 1


def test_a_key_that_does_not_sign_is_named(place: Place, tmp_path: Path) -> None:
    ref = place.put("Exports need a check")
    said = place.refused("accept", ref, "--by", "Ada", "--yes", "--sign", str(tmp_path / "none"))
    assert said.startswith("the decision is recorded, but not signed: ")


def test_a_seal_shows_each_record_first_and_leaves_out_what_it_cannot_show(place: Place) -> None:
    shown, hidden = place.accepted("Exports need a check"), place.accepted("Falcon needs a check")
    (place.home / "memory-seal").unlink()
    place.write(".aicx/memory-policy.toml", 'exclude_patterns = ["falcon"]\n')
    code, _, err = place.run("memory", "seal", "--by", "Ada", "--yes")
    assert code == 0
    assert "Exports need a check" in err
    assert "Falcon" not in err
    (place.repo / ".aicx/memory-policy.toml").unlink()
    assert place.baseline() == {shown}
    assert place("seal", "--by", "Ada", "--yes")["refs"] == [hidden]


def test_a_seal_leaves_out_what_has_no_file(place: Place) -> None:
    ref = place.accepted("Exports need a check")
    (place.home / "memory-seal").unlink()
    files = {path: path.read_bytes() for path in place.files(ref)}
    for path in files:
        path.unlink()
    assert place("seal", "--by", "Ada", "--yes") | {"schema": ""} == {"schema": "", "refs": [], "left_out": [ref]}
    for path, body in files.items():
        path.write_bytes(body)
    assert place.baseline() == set()


def test_a_pass_of_what_is_agreed_takes_a_person_and_a_confirmation(place: Place) -> None:
    ref = place.accepted("Exports need a check")
    words = ("validate", ref, "--result", "pass", "--method", "looked")
    assert "needs the name of a person" in place.refused(*words, "--by", "ci", "--yes")
    assert "a person has to confirm this" in place.refused(*words, "--by", "Ada")
    place(*words, "--by", "Ada", "--yes")
