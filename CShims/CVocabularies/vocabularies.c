#include "include/vocabularies.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char coco[] = {
#embed "Vocabularies/coco.tsv"
};

static const unsigned char open_images[] = {
#embed "Vocabularies/open-images.tsv"
};

static const unsigned char more[] = {
#embed "Vocabularies/more.tsv"
};

static const unsigned char imagenet[] = {
#embed "Vocabularies/imagenet.tsv"
};

#define VOCABULARY(name)                                   \
  SwiftOdtVocabulary swiftodt_vocabulary_##name (void)     \
  {                                                        \
    return (SwiftOdtVocabulary) { name, sizeof name };     \
  }

VOCABULARY (coco)
VOCABULARY (open_images)
VOCABULARY (more)
VOCABULARY (imagenet)
