"""One module per family of objects; importing a module registers its categories in assets.objects.library."""
