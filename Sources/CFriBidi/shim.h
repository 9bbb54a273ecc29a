#include <fribidi/fribidi.h>

// Swift does not import these macros.

static const FriBidiFlags bidi_shaping =
  FRIBIDI_FLAG_SHAPE_MIRRORING | FRIBIDI_FLAG_SHAPE_ARAB_PRES;
static const FriBidiParType bidi_left_to_right = FRIBIDI_PAR_LTR;
static const FriBidiParType bidi_right_to_left = FRIBIDI_PAR_RTL;

/// The kinds of characters that decide on which side of the text before them a number is shown.
typedef enum { bidi_neutral, bidi_strong_left, bidi_strong_right, bidi_number } bidi_kind;

static inline bidi_kind bidi_kind_of(FriBidiChar character) {
  switch (fribidi_get_bidi_type(character)) {
    case FRIBIDI_TYPE_LTR: return bidi_strong_left;
    case FRIBIDI_TYPE_RTL:
    case FRIBIDI_TYPE_AL:
    case FRIBIDI_TYPE_AN: return bidi_strong_right;
    case FRIBIDI_TYPE_EN: return bidi_number;
    default: return bidi_neutral;
  }
}
