/* The files in Vocabularies/, which map labels to categories, embedded in the program. They are C arrays because
 * large array literals compile much more slowly in Swift. */
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
