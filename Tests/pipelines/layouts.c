/* The layouts and constants of GStreamer that AnalyticsLibrary and TensorMetadata restate. `Tests/testing-root layouts` compiles this file
 * with GStreamer's headers; AnalyticsLayoutTests compares the same lines with the Swift types. */
#include <gst/analytics/analytics.h>
#include <stddef.h>

#define OFFSET(type, field, offset) _Static_assert (offsetof (type, field) == (offset), #type "." #field)
#define SIZE(type, size) _Static_assert (sizeof (type) == (size), #type)
#define VALUE(name, value) _Static_assert ((name) == (value), #name)

OFFSET (GstAnalyticsMtd, id, 0);
OFFSET (GstAnalyticsMtd, meta, 8);
SIZE (GstAnalyticsMtd, 16);
OFFSET (GstAnalyticsRelationMetaInitParams, initial_relation_order, 0);
OFFSET (GstAnalyticsRelationMetaInitParams, initial_buf_size, 8);
SIZE (GstAnalyticsRelationMetaInitParams, 16);
SIZE (GstAnalyticsMtdType, 8);
SIZE (GstAnalyticsRelTypes, 4);
OFFSET (GstTensor, id, 0);
OFFSET (GstTensor, layout, 4);
OFFSET (GstTensor, data_type, 8);
OFFSET (GstTensor, data, 16);
OFFSET (GstTensor, dims_order, 24);
OFFSET (GstTensor, num_dims, 32);
OFFSET (GstTensor, dims, 40);
OFFSET (GstTensorMeta, num_tensors, 16);
OFFSET (GstTensorMeta, tensors, 24);
VALUE (GST_ANALYTICS_REL_TYPE_IS_PART_OF, 2);
VALUE (GST_ANALYTICS_REL_TYPE_CONTAIN, 4);
VALUE (GST_ANALYTICS_REL_TYPE_RELATE_TO, 8);
VALUE (GST_TENSOR_DATA_TYPE_INT8, 1);
VALUE (GST_TENSOR_DATA_TYPE_INT32, 3);
VALUE (GST_TENSOR_DATA_TYPE_INT64, 4);
VALUE (GST_TENSOR_DATA_TYPE_UINT8, 6);
VALUE (GST_TENSOR_DATA_TYPE_FLOAT16, 10);
VALUE (GST_TENSOR_DATA_TYPE_FLOAT32, 11);
