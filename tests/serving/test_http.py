"""Where a server listens, and by which names it is called."""

from __future__ import annotations

import socket

import pytest

pytest.importorskip("uvicorn")

from aicx.serving.guard import LOOPBACK
from aicx.serving.http import is_loopback, listen, names_of


@pytest.mark.parametrize(
    ("host", "alone"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_only_loopback_is_this_machine_alone(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


def test_a_server_for_others_has_its_address_and_the_names_it_is_given() -> None:
    assert names_of("192.0.2.7", ("Build.example",)) == LOOPBACK | {"192.0.2.7", "build.example"}
    assert "[2001:db8::1]" in names_of("2001:db8::1", ())


def test_an_answer_is_not_held_back_by_the_network() -> None:
    # Head and body are written apart, and waiting for the client's acknowledgement in between takes 40 ms.
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
