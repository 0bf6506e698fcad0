/* The files in Vocabularies/, as part of the program: which category each label belongs to. A C array takes milliseconds to
 * compile where a Swift one takes many seconds. */
#pragma once

#include <stddef.h>

typedef struct
{
  const unsigned char *text;
  size_t size;
} SwiftOdtVocabulary;

SwiftOdtVocabulary swiftodt_vocabulary_coco (void);
SwiftOdtVocabulary swiftodt_vocabulary_open_images (void);
SwiftOdtVocabulary swiftodt_vocabulary_more (void);
SwiftOdtVocabulary swiftodt_vocabulary_imagenet (void);
