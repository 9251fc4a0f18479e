import subprocess
import sys


def test_the_config_package_imports_no_pydantic():
    code = "import sys, twospeed.config; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
