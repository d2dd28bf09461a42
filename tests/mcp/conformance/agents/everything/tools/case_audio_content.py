from litro import tool
from litro.content import Audio

from .._media import SILENCE  # noqa: TID252 - as users write it


@tool
def case_audio_content():
    """Answer with a sound."""
    return Audio(SILENCE)
