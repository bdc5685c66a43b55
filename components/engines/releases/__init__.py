"""What each release of a program parses: flags, how many and which values they take, and the metrics that it exports.

One table for each program, ``<program>.tsv``, made by ``tools/engine_releases.py`` from the packages or written from
the program's source. Its columns are separated by tabs:

``release  NUMBER  WHERE IT WAS READ``, oldest first
``flag  NAME  OTHER SPELLINGS  VALUES  CHOICES  STATE  RELEASES``: spellings and choices with spaces between them;
  values ``0`` (a switch), ``1``, ``2``, ``?`` (one or none) or ``*`` (several); state ``deprecated``, ``gone`` (named
  in the program only to refuse it) or empty; releases ``OLDEST-NEWEST``
``metric  NAME  RELEASES``, likewise ``env`` for its environment variables and ``plugin`` for types of plugins
``image  NAME  NUMBER  RELEASE``: an image with version numbers of a different series, and the release in it
"""

from .table import Fact, Program, Release, program

__all__ = ["Fact", "Program", "Release", "program"]
