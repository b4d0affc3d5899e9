"""Categories made from recipes: everyday things that lie around as distractors (assets/objects/recipes/*.toml)."""

from __future__ import annotations

from functools import partial

from assets.objects.library import category
from assets.objects.recipe import cook, recipes

for _name, _recipe in recipes().items():
    category(_name, _recipe.instances, _recipe.synonyms, clutter=True)(partial(cook, _recipe))
