"""Images and videos of cascades."""
