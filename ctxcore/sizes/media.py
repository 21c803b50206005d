"""Tokens of images, documents and sound: always an estimate, by dimensions where they are known."""

from __future__ import annotations

import math

from ctxcore.model import Media
from ctxcore.sizes.models import claude_version, family, model_key

UNKNOWN_IMAGE = 1_600
"""An image without known dimensions, and the most that one takes by the general rule. Source: Anthropic, "Vision": larger images are scaled down
to about 1,600 tokens."""

HIGH_RESOLUTION_IMAGE = 4_784
"""The most that an image takes for Claude 4.7 and later. Source: as above, images up to 2,576 pixels on the long edge."""

OPENAI_UNKNOWN_IMAGE = 765
"""Of 1,024 × 1,024 pixels by the tile rule."""

GEMINI_TILE = 258
"""Tokens of a Gemini tile of 768 pixels, or of a whole image of up to 384. Source: ai.google.dev, "Understand and count tokens"."""

PDF_PAGE = 2_250
"""Tokens of a page. Source: Anthropic, "PDF support": 1,500 to 3,000 a page, by density."""

PDF_PAGE_BYTES = 50_000
"""A page's share of a file, of our choosing; at most 100 pages, the provider's limit."""

AUDIO_SECOND, AUDIO_SECOND_BYTES = 32, 16_000
"""Tokens of a second of sound (source: as Gemini's tiles) and its bytes at 128 kbit/s."""

VIDEO_SECOND, VIDEO_SECOND_BYTES = 295, 125_000
"""Tokens of a second of video, 263 and the sound (source: as Gemini's tiles), and its bytes at 1 Mbit/s."""

ADDRESS_CHARS = 4_096
"""A payload up to this length may be an address or an id: it tells nothing about the size."""

_TILED = family(r"(chat)?gpt-|(?<!-)o[134](?=$|[-@:])|codex")
_GEMINI = family(r"gemini|gemma")


def media_tokens(media: Media, model: str) -> int:
    """Tokens of one image, document, sound or film, an estimate.

    Images by dimensions: tiles for OpenAI and Gemini models, width × height / 750 for all others. Other media by the size of their payload.

    Args:
        media: As read; unknown dimensions and an empty type are allowed, and mean an image of full size.
        model: As recorded; empty is unknown.
    """
    kind = media.media_type.lower()
    size = media.payload_chars * 3 // 4 if media.payload_chars > ADDRESS_CHARS else 0
    if "pdf" in kind:
        return PDF_PAGE * min(100, max(1, size // PDF_PAGE_BYTES))
    if kind.startswith("audio"):
        return AUDIO_SECOND * max(10, size // AUDIO_SECOND_BYTES)
    if kind.startswith("video"):
        return VIDEO_SECOND * max(10, size // VIDEO_SECOND_BYTES)
    return image_tokens(media.width, media.height, model)


def image_tokens(width: int | None, height: int | None, model: str) -> int:
    """Tokens of an image by the provider's rule.

    Args:
        width: Pixels, or None.
        height: Pixels, or None.
        model: As recorded.
    """
    key = model_key(model)
    known = width is not None and height is not None and width > 0 and height > 0
    if _TILED.search(key):
        return openai_image_tokens(width, height) if known and width and height else OPENAI_UNKNOWN_IMAGE
    if not (known and width and height):
        return UNKNOWN_IMAGE
    if _GEMINI.search(key):
        tiles = 1 if max(width, height) <= 384 else math.ceil(width / 768) * math.ceil(height / 768)
        return min(GEMINI_TILE * tiles, UNKNOWN_IMAGE)
    largest = HIGH_RESOLUTION_IMAGE if (claude_version(model) or (0, 0)) >= (4, 7) else UNKNOWN_IMAGE
    return min(largest, math.ceil(width * height / 750))


def openai_image_tokens(width: int, height: int) -> int:
    """85, and 170 for each tile of 512 pixels after the image is made to fit 2,048 × 2,048 and its short side 768; never enlarged.

    Source: platform.openai.com, "Images and vision", calculating costs, high detail of GPT-4o (other models differ by a constant factor).
    """
    shrink = min(1.0, 2048 / max(width, height))
    shrink *= min(1.0, 768 / (shrink * min(width, height)))
    return 85 + 170 * math.ceil(width * shrink / 512) * math.ceil(height * shrink / 512)
