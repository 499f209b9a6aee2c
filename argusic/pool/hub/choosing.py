"""Which files of a model's repository count: those that its card's snippet can need.

Many repositories keep the same weights several times over, once for each framework. Those that are no framework's of
the snippet would fill the disk and be proved for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from argusic.pool.hub.answers import Listed

#: The weights that the libraries load first, where they are there.
_FIRST = re.compile(r"(^|/)(model|pytorch_model|diffusion_pytorch_model|adapter_model)[\w.-]*\.safetensors$")
#: The same weights for others, each with the words of a card that says that it is used after all.
_COPIES = (
    (re.compile(r"(^|/)pytorch_model[\w.-]*\.bin(\.index\.json)?$"), r"pytorch_model"),
    (re.compile(r"(^|/)tf_model[\w.-]*\.h5$"), r"\bTF[A-Z]\w+|tensorflow|from_tf|tf_model"),
    (re.compile(r"(^|/)flax_model[\w.-]*\.msgpack$"), r"\bFlax[A-Z]\w+|from_flax|flax_model"),
    (re.compile(r"(^|/)rust_model\.ot$"), r"rust_model|rust-bert"),
    (re.compile(r"^onnx/|\.onnx(_data|\.data)?$"), r"\bORT[A-Z]\w+|onnx"),
    (re.compile(r"^openvino/"), r"\bOV[A-Z]\w+|openvino"),
    (re.compile(r"^coreml/|\.mlpackage/"), r"coreml|mlpackage"),
    (re.compile(r"^(original|runs|logs)/"), r"\boriginal/"),
)


def counting(files: Sequence[Listed], card: str) -> tuple[Listed, ...]:
    """Return the files that count, of those that a repository has.

    Args:
        files: Its files.
        card: The text of its card; empty where it has none.
    """
    kept = [file for file in files if file.path.rpartition("/")[2] != ".gitattributes"]
    if not any(_FIRST.search(file.path) for file in kept):
        return tuple(kept)
    unused = [path for path, words in _COPIES if not re.search(words, card, re.IGNORECASE)]
    return tuple(file for file in kept if not any(path.search(file.path) for path in unused))
