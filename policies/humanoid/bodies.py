"""Random bodies for training, each from a seed."""
import sys
sys.path.append('/work/scratch-humwalk')
from sampler import sample
from sim.humanoid.walking.adapt import walking_body

def random_body(seed):
    h=sample(seed); return h, walking_body(h)
