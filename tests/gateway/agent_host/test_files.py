"""Notes and skills in a folder."""

from pathlib import Path

from gateway.agent_host.files import read_notes, read_skills, write_notes


def test_an_empty_folder_has_empty_notes(tmp_path: Path) -> None:
    assert read_notes(tmp_path / "nowhere") == {"memory": "", "user": ""}
    assert read_skills(tmp_path / "nowhere") == []


def test_notes_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_notes(tmp_path / "new", {"memory": "a\n§\nb", "user": "Ünïcode", "type": "memory_update"})
    assert read_notes(tmp_path / "new") == {"memory": "a\n§\nb", "user": "Ünïcode"}
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["MEMORY.md", "USER.md"]


def test_a_skill_is_described_by_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "baking.md").write_text("\n# How to bake bread\n\nMix.\n")
    (skill,) = read_skills(tmp_path)
    assert (skill["name"], skill["description"]) == ("baking", "How to bake bread")
    assert skill["content"].endswith("Mix.\n")
