"""What pyproject.toml cannot say: the book's tables go into the wheel, so that a downloaded notebook runs with it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithTables(build_py):
    """In a copy of the project the package reads the tables where they are (pwu_lite/replication/stored_tables.py)."""

    def run(self):
        super().run()
        if not self.editable_mode:
            tables = Path(self.build_lib, "pwu_lite", "tables")
            tables.mkdir(parents=True, exist_ok=True)
            for path in Path("book").glob("*/*.csv*"):
                shutil.copy(path, tables)


setup(cmdclass={"build_py": BuildWithTables})
