# A formula for a tap of one's own: `brew install --formula packaging/aicx.rb` after `make release` and docs/releasing.md.
class Aicx < Formula
  include Language::Python::Virtualenv

  desc "Keeps the logs of coding agents as a redacted, searchable corpus"
  homepage "https://pypi.org/project/aicx-py/"
  url "file:///replace/with/the/address/of/the/sdist.tar.gz"
  version "0.2.0"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["MIT", "Apache-2.0"]

  depends_on "python@3.13"

  # The parts that aicx needs come as wheels, as pip installs them: building them would need Rust.
  def install
    virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "pip", "install", "--no-cache-dir", "#{buildpath}[mcp]"
    bin.install_symlink libexec/"bin/aicx"
  end

  test do
    assert_match "aicx #{version}", shell_output("#{bin}/aicx --version")
    ENV["AICX_HOME"] = testpath/"aicx"
    system bin/"aicx", "demo"
  end
end
