"""A share on a server that speaks S3, and on one that accepts conditional writes and ignores them."""

from __future__ import annotations

import pytest

from aicx.errors import AicxError
from aicx.share.seals import verify_database
from aicx.share.tables import probe
from tests.share.stores import s3_server
from tests.share.teams import VALVE, give, home, join, own_of

pytestmark = [
    pytest.mark.needs("semantic", "test"),
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def environment():
    with s3_server() as found:
        yield found


def test_sessions_are_pushed_to_a_bucket_and_agree_with_their_seals(environment, tmp_path):
    ada = home(tmp_path, (VALVE, "Why does the valve leak?", "The gasket was worn."))
    membership = join(ada, "s3://team/aicx", "ada")
    give(ada, membership)
    assert verify_database(own_of(ada, membership)) == (1, 1, [])


def test_an_address_that_keeps_writers_apart_passes_the_probe(environment):
    probe("s3://team/probed")


def test_an_address_that_ignores_conditional_writes_is_refused(environment, monkeypatch):
    from moto.s3.responses import S3Response

    true = S3Response.put_object

    def ignoring(self, *args, **kwargs):
        self.headers = {name: value for name, value in self.headers.items() if name.lower() != "if-none-match"}
        return true(self, *args, **kwargs)

    monkeypatch.setattr(S3Response, "put_object", ignoring)
    with pytest.raises(AicxError, match="ignores conditional writes"):
        probe("s3://team/unsafe")
