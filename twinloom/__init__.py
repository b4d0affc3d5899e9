"""The ground floor: what every room uses. It imports none of them."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("twinloom")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
