"""The version that is installed, as ``qttt.__version__`` and ``qttt --version`` say it."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("tiqtaqtoe")
except PackageNotFoundError:
    __version__ = "(not installed)"
