#include "BundledSchema.h"

static const unsigned char text[] = {
#embed "../../Resources/schema/quran-vi.ckdb"
};

const unsigned char *const quranvi_schema = text;
const size_t quranvi_schema_size = sizeof text;
