"""`tf.version`: the version of TensorFlow that these names are taken from."""

VERSION = "2.21.0"

__all__ = ["VERSION"]
