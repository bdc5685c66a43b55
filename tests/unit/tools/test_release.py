"""Release notes. What is built and installed is tried by tests/integration/test_release.py."""

import pytest

from tools.release import ReleaseError, notes, version

CHANGELOG = """# Changelog

## Unreleased

* new

What your next preview will show: nothing.

## 0.1.0

* first

What your next preview will show: everything.
"""


def test_the_notes_of_a_release():
    assert notes(CHANGELOG, "0.1.0") == (
        "# modelservices 0.1.0\n\n* first\n\nWhat your next preview will show: everything.\n"
    )


def test_a_release_without_a_section_has_what_is_unreleased():
    assert notes(CHANGELOG, "0.2.0").startswith("# modelservices 0.2.0\n\n* new\n")


def test_notes_say_what_a_preview_will_show():
    with pytest.raises(ReleaseError, match="does not say “What your next preview will show:”"):
        notes("## 0.3.0\n\n* new\n", "0.3.0")
    with pytest.raises(ReleaseError, match=r"there is no section 0\.3\.0"):
        notes("# Changelog\n", "0.3.0")


def test_the_version_is_semver():
    assert version().count(".") == 2
