"""Tables of other versions: a newer one is refused in a sentence, and pylance and lancedb write one table."""

from __future__ import annotations

import pytest

from aicx.share import tables
from aicx.share.tables import (
    FORMAT,
    ShareAway,
    ShareTooNew,
    VectorModel,
    create_database,
    open_database,
    read_rows,
    reading,
    write_rows,
)

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.filterwarnings("ignore")]
MODEL = VectorModel("made", "named", 4)


def test_a_share_of_a_newer_format_is_refused(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(tables, "FORMAT", FORMAT + 1)
        create_database(str(tmp_path), MODEL)
    with pytest.raises(ShareTooNew, match=f"has format {FORMAT + 1}, and this release reads {FORMAT}"):
        open_database(str(tmp_path))


def test_a_table_that_lancedb_is_too_old_for_is_refused():
    with pytest.raises(ShareTooNew, match="written by a newer lancedb"), reading("s3://team/aicx"):
        raise RuntimeError("lance error: Not supported: unsupported file version 9.9, /src/x.rs:1")


def test_any_other_failure_of_a_share_is_no_question_of_versions():
    with pytest.raises(ShareAway, match="s3://team/aicx cannot be used: Connection refused"), reading("s3://team/aicx"):
        raise OSError("Connection refused")


def test_a_share_remembers_the_model_of_its_vectors(tmp_path):
    create_database(str(tmp_path), MODEL)
    assert open_database(str(tmp_path)).model == MODEL


def test_making_a_share_that_is_there_changes_nothing(tmp_path):
    database = create_database(str(tmp_path), MODEL)
    write_rows(database.chunks, [{"key": "a"}])
    again = create_database(str(tmp_path), VectorModel("other", "other", 8))
    assert (again.model, again.chunks.count_rows()) == (MODEL, 1)


@pytest.mark.needs("ray")
def test_a_table_whose_files_a_newer_pylance_wrote_is_refused(tmp_path):
    import lance
    import pyarrow as pa

    made = create_database(str(tmp_path), MODEL)
    made.connection.drop_table("chunks")
    rows = pa.Table.from_pylist([{"key": "a", "said": "valve"}], schema=made.chunks.schema)
    lance.write_dataset(rows, str(tmp_path / "chunks.lance"), data_storage_version="2.3")
    database = open_database(str(tmp_path))
    with pytest.raises(ShareTooNew, match="was written by a newer lancedb"), reading(database.uri):
        read_rows(database.chunks, ("key",))


@pytest.mark.needs("ray")
def test_pylance_writes_what_lancedb_reads_and_reads_what_lancedb_writes(tmp_path):
    import lance

    database = create_database(str(tmp_path), MODEL)
    write_rows(database.chunks, [{"key": "a", "said": "valve"}])
    path = str(tmp_path / "chunks.lance")
    rows = lance.dataset(path).to_table()
    assert rows["key"].to_pylist() == ["a"]
    assert lance.dataset(path).data_storage_version == tables.DATA_VERSION
    lance.write_dataset(rows, path, mode="append")
    database.refresh()
    assert database.chunks.count_rows() == 2
    write_rows(database.chunks, [{"key": "b"}])
    assert lance.dataset(path).count_rows() == 3
