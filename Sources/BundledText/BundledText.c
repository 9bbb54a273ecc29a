#include "BundledText.h"

static const unsigned char text[] = {
#embed "../../Resources/quran/vi.quranvi.txt"
};

const unsigned char *const quranvi_text = text;
const size_t quranvi_text_size = sizeof text;
