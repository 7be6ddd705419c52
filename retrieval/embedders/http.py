"""An embedder behind HTTP: any endpoint that speaks OpenAI's ``/embeddings``.

Texts leave this machine, so nothing calls it unless it was configured. The key is sent and never shown: not in a repr,
not in an error, and error bodies are quoted only after it has been taken out of them.
"""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from threading import Lock
from typing import Any

from aicx.errors import AicxError, MissingExtra, UsageError
from aicx.values import batches
from retrieval.embedders import EmbedderSettings, Kind, Tokens, Vectors

# The server's tokenizer is not known here. Its tokens are hardly ever shorter than three bytes on average, so this
# overestimates for text, and the default window is far below what such models take.
_BYTES_PER_TOKEN = 3
_WORD = re.compile(r"\S+")
_DEFAULT_MAX_TOKENS = 512
_MAX_WAIT_LENGTH = 60.0  # seconds
_IN_FLIGHT = 4  # requests that wait for their answers at the same time
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class EndpointFailed(AicxError):
    """The endpoint could not be reached, refused, or answered something else than vectors."""


class _Pace:
    """Keeps requests apart, also those of several threads, so that no more than so many are made in a minute."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._next_at, self._turn = seconds, 0.0, Lock()

    def wait(self, now: Callable[[], float], sleep: Callable[[float], None]) -> None:
        with self._turn:
            pause = self._next_at - now()
            if pause > 0:
                sleep(pause)
            self._next_at = max(self._next_at, now()) + self._seconds


class HttpEmbedder:
    """An embedder for the endpoint in ``settings``. Nothing is sent when it is made."""

    kind: Kind = "contextual"
    gpu = None

    def __init__(self, kind: str, settings: EmbedderSettings) -> None:
        missing = [name for name in ("base_url", "model", "dimensions") if not getattr(settings, name)]
        if missing:
            raise UsageError(f"The embedder {kind} needs {', '.join(missing)}.", hint="Set them in config.toml.")
        base_url, model, dimensions = str(settings.base_url), str(settings.model), settings.dimensions or 0
        if not base_url.startswith(("http://", "https://")) or "@" in base_url:
            raise UsageError(
                "The embedder's base URL must begin with http:// or https:// and hold no password.",
                hint="The key has a setting of its own.",
            )
        try:
            import numpy  # noqa: F401 - only asked whether it is there
        except ImportError as error:
            raise MissingExtra(f"The embedder {kind}", "semantic") from error
        url = base_url.rstrip("/") + "/embeddings"
        self.name, self.dimensions = f"http-{model}", dimensions
        self.max_tokens = settings.max_tokens or _DEFAULT_MAX_TOKENS
        self.fingerprint = sha256(f"{url}\n{model}\n{dimensions}".encode()).hexdigest()
        self.url, self.model, self.batch_size = url, model, max(1, settings.batch_size)
        self.retries, self.timeout, self._key = settings.retries, settings.timeout, settings.key
        self._pace = _Pace(60 / settings.requests_per_minute if settings.requests_per_minute else 0.0)
        self._now, self._sleep = time.monotonic, time.sleep

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text. Blank texts get zeros and are not sent: endpoints refuse them."""
        import numpy as np

        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        parts = [*batches(rows, self.batch_size)]
        with ThreadPoolExecutor(_IN_FLIGHT) as pool:
            asked = [pool.submit(self._vectors, [texts[row] for row in part]) for part in parts]
            try:
                for part, answer in zip(parts, asked, strict=True):
                    vectors[part] = answer.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)  # the first failure ends it: the others would fail alike
                raise
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(norms > 0, norms, 1)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)

    def known_words(self, text: str) -> str:
        return text

    def token_ends(self, texts: Sequence[str]) -> list[list[int]]:
        """An estimate on the safe side."""
        return [_estimated_ends(text) for text in texts]

    def embed_tokens(self, texts: Sequence[str]) -> list[Tokens] | None:
        return None

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        answer = self._post({"model": self.model, "input": texts, "encoding_format": "float"})
        try:
            items = sorted(answer["data"], key=lambda item: item["index"])
            vectors: list[list[float]] = [item["embedding"] for item in items]
            found = {len(vector) for vector in vectors}
        except (KeyError, TypeError) as error:
            raise self._failed("answered something that is not a list of embeddings") from error
        if len(vectors) != len(texts):
            raise self._failed(f"answered {len(vectors)} vectors for {len(texts)} texts")
        if found != {self.dimensions}:
            raise self._failed(
                f"answered vectors of {', '.join(map(str, sorted(found)))} dimensions, and {self.dimensions} are set",
                hint=f"Set dimensions to {min(found)}, or choose another model.",
            )
        return vectors

    def _post(self, body: dict[str, Any]) -> Any:
        """The decoded answer. Passing failures are tried again, after the time the server asks for or a growing one."""
        data = json.dumps(body).encode("ascii")
        for attempt in range(self.retries + 1):
            self._pace.wait(self._now, self._sleep)
            headers = {"Content-Type": "application/json", "User-Agent": "aicx"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            request = urllib.request.Request(self.url, data=data, headers=headers, method="POST")  # noqa: S310 - checked in load
            try:
                with _OPENER.open(request, timeout=self.timeout) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read(500).decode("utf-8", "replace")
                    failure, pause = self._refusal(error.code, said), _asked_pause(error.headers.get("Retry-After"))
                if error.code not in _PASSING:
                    raise failure from None
            except ValueError:
                raise self._failed("answered something that is not JSON") from None
            except OSError as error:  # refused, reset, timed out; URLError is one of them
                failure, pause = self._failed(f"could not be reached: {getattr(error, 'reason', error)}"), None
            if attempt == self.retries:
                raise failure
            self._sleep(min(_MAX_WAIT_LENGTH, pause if pause is not None else 0.5 * 2**attempt))
        raise AssertionError("the last attempt returns or raises")

    def _refusal(self, status: int, said: str) -> EndpointFailed:
        hint = {
            401: "Check the key.",
            403: "Check the key and what it may do.",
            404: "Check the base URL and the model's name.",
            429: "Set a lower number of requests per minute, or try later.",
        }.get(status)
        return self._failed(f"answered HTTP {status}: {' '.join(said.split()) or 'no reason given'}", hint=hint)

    def _failed(self, reason: str, *, hint: str | None = None) -> EndpointFailed:
        if self._key:
            reason = reason.replace(self._key, "[key]")
        return EndpointFailed(f"The embedding endpoint {self.url} {reason}.", hint=hint)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are refused: following one would hand the key to whoever it names."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


load = HttpEmbedder


def _estimated_ends(text: str) -> list[int]:
    """Where tokens of three bytes would end, no token in two words."""
    ends: list[int] = []
    for word in _WORD.finditer(text):
        step = _BYTES_PER_TOKEN if word[0].isascii() else 1
        ends += [*range(word.start() + step, word.end(), step), word.end()]
    return ends


def _asked_pause(value: str | None) -> float | None:
    """Seconds a ``Retry-After`` asks for; it holds a number or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
