#include <fribidi/fribidi.h>

// Swift does not import these macros.

static const FriBidiFlags bidi_shaping =
  FRIBIDI_FLAG_SHAPE_MIRRORING | FRIBIDI_FLAG_SHAPE_ARAB_PRES;
static const FriBidiParType bidi_left_to_right = FRIBIDI_PAR_LTR;
static const FriBidiParType bidi_right_to_left = FRIBIDI_PAR_RTL;
