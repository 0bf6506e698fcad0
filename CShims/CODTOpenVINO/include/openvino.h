// The part of OpenVINO's C interface that swiftodt uses. It is declared here, so that the build needs no OpenVINO
// headers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int ov_status;  // 0 is success, any other value an error
typedef struct ov_core ov_core;
typedef struct ov_model ov_model;
typedef struct ov_port ov_port;
typedef struct ov_compiled_model ov_compiled_model;
typedef struct ov_infer_request ov_infer_request;
typedef struct ov_tensor ov_tensor;
typedef struct ov_layout ov_layout;
typedef struct ov_ppp ov_ppp;
typedef struct ov_ppp_input ov_ppp_input;
typedef struct ov_ppp_input_tensor ov_ppp_input_tensor;
typedef struct ov_ppp_input_model ov_ppp_input_model;
typedef struct ov_ppp_output ov_ppp_output;
typedef struct ov_ppp_output_tensor ov_ppp_output_tensor;

typedef struct { const char *build_number, *description; } ov_version;
typedef struct { int64_t rank, *dims; } ov_shape;
typedef struct { int64_t min, max; } ov_dimension;  // max is -1 if the dimension has no upper limit
typedef struct { ov_dimension rank, *dims; } ov_partial_shape;
// Called when an inference ends. The runtime keeps the address of this struct, so the struct must exist as long as
// the inference request for which it was set.
typedef struct { void (*function)(void *); void *argument; } ov_callback;

// The functions that swiftodt uses, as F(result, name, arguments). OpenVINO 2023.1 and later versions have all of them.
#define SWIFTODT_OPENVINO_FUNCTIONS(F)                                                                            \
    F(ov_status, ov_get_openvino_version, (ov_version *))                                                         \
    F(void, ov_version_free, (ov_version *))                                                                      \
    F(const char *, ov_get_last_err_msg, (void))                                                                  \
    F(void, ov_free, (const char *))                                                                              \
    F(ov_status, ov_core_create, (ov_core **))                                                                    \
    F(ov_status, ov_core_read_model, (const ov_core *, const char *, const char *, ov_model **))                  \
    F(ov_status, ov_core_read_model_from_memory_buffer,                                                           \
      (const ov_core *, const char *, size_t, const ov_tensor *, ov_model **))                                    \
    F(ov_status, ov_core_compile_model,                                                                           \
      (const ov_core *, const ov_model *, const char *, size_t, ov_compiled_model **, ...))                       \
    F(ov_status, ov_core_import_model, (const ov_core *, const char *, size_t, const char *, ov_compiled_model **)) \
    F(ov_status, ov_core_set_property, (const ov_core *, const char *, ...))                                      \
    F(ov_status, ov_core_get_property, (const ov_core *, const char *, const char *, char **))                    \
    F(void, ov_model_free, (ov_model *))                                                                          \
    F(ov_status, ov_model_inputs_size, (const ov_model *, size_t *))                                              \
    F(ov_status, ov_model_outputs_size, (const ov_model *, size_t *))                                             \
    F(ov_status, ov_model_const_input_by_index, (const ov_model *, size_t, ov_port **))                           \
    F(ov_status, ov_model_const_output_by_index, (const ov_model *, size_t, ov_port **))                          \
    F(ov_status, ov_model_reshape_by_port_indexes,                                                                \
      (const ov_model *, const size_t *, const ov_partial_shape *, size_t))                                       \
    F(ov_status, ov_port_get_any_name, (const ov_port *, char **))                                                \
    F(ov_status, ov_port_get_partial_shape, (const ov_port *, ov_partial_shape *))                                \
    F(ov_status, ov_port_get_element_type, (const ov_port *, unsigned *))                                         \
    F(void, ov_output_const_port_free, (ov_port *))                                                               \
    F(ov_status, ov_partial_shape_create_static, (int64_t, const int64_t *, ov_partial_shape *))                  \
    F(void, ov_partial_shape_free, (ov_partial_shape *))                                                          \
    F(ov_status, ov_shape_create, (int64_t, const int64_t *, ov_shape *))                                         \
    F(ov_status, ov_shape_free, (ov_shape *))                                                                     \
    F(ov_status, ov_tensor_create, (unsigned, ov_shape, ov_tensor **))                                            \
    F(ov_status, ov_tensor_get_shape, (const ov_tensor *, ov_shape *))                                            \
    F(ov_status, ov_tensor_get_byte_size, (const ov_tensor *, size_t *))                                          \
    F(ov_status, ov_tensor_data, (const ov_tensor *, void **))                                                    \
    F(void, ov_tensor_free, (ov_tensor *))                                                                        \
    F(ov_status, ov_compiled_model_create_infer_request, (const ov_compiled_model *, ov_infer_request **))        \
    F(ov_status, ov_compiled_model_export_model, (const ov_compiled_model *, const char *))                       \
    F(ov_status, ov_compiled_model_get_property, (const ov_compiled_model *, const char *, char **))              \
    F(void, ov_compiled_model_free, (ov_compiled_model *))                                                        \
    F(ov_status, ov_infer_request_get_input_tensor_by_index, (const ov_infer_request *, size_t, ov_tensor **))    \
    F(ov_status, ov_infer_request_get_output_tensor_by_index, (const ov_infer_request *, size_t, ov_tensor **))   \
    F(ov_status, ov_infer_request_set_callback, (ov_infer_request *, const ov_callback *))                        \
    F(ov_status, ov_infer_request_start_async, (ov_infer_request *))                                              \
    F(ov_status, ov_infer_request_infer, (ov_infer_request *))                                                    \
    F(ov_status, ov_infer_request_cancel, (ov_infer_request *))                                                   \
    F(ov_status, ov_infer_request_wait, (ov_infer_request *))                                                     \
    F(void, ov_infer_request_free, (ov_infer_request *))                                                          \
    F(ov_status, ov_layout_create, (const char *, ov_layout **))                                                  \
    F(void, ov_layout_free, (ov_layout *))                                                                        \
    F(ov_status, ov_preprocess_prepostprocessor_create, (const ov_model *, ov_ppp **))                            \
    F(ov_status, ov_preprocess_prepostprocessor_build, (const ov_ppp *, ov_model **))                             \
    F(void, ov_preprocess_prepostprocessor_free, (ov_ppp *))                                                      \
    F(ov_status, ov_preprocess_prepostprocessor_get_input_info_by_index,                                          \
      (const ov_ppp *, size_t, ov_ppp_input **))                                                                  \
    F(void, ov_preprocess_input_info_free, (ov_ppp_input *))                                                      \
    F(ov_status, ov_preprocess_input_info_get_tensor_info, (const ov_ppp_input *, ov_ppp_input_tensor **))        \
    F(ov_status, ov_preprocess_input_tensor_info_set_element_type, (ov_ppp_input_tensor *, unsigned))             \
    F(ov_status, ov_preprocess_input_tensor_info_set_layout, (ov_ppp_input_tensor *, ov_layout *))                \
    F(void, ov_preprocess_input_tensor_info_free, (ov_ppp_input_tensor *))                                        \
    F(ov_status, ov_preprocess_input_info_get_model_info, (const ov_ppp_input *, ov_ppp_input_model **))          \
    F(ov_status, ov_preprocess_input_model_info_set_layout, (ov_ppp_input_model *, ov_layout *))                  \
    F(void, ov_preprocess_input_model_info_free, (ov_ppp_input_model *))                                          \
    F(ov_status, ov_preprocess_prepostprocessor_get_output_info_by_index,                                         \
      (const ov_ppp *, size_t, ov_ppp_output **))                                                                 \
    F(void, ov_preprocess_output_info_free, (ov_ppp_output *))                                                    \
    F(ov_status, ov_preprocess_output_info_get_tensor_info, (const ov_ppp_output *, ov_ppp_output_tensor **))     \
    F(ov_status, ov_preprocess_output_set_element_type, (ov_ppp_output_tensor *, unsigned))                       \
    F(void, ov_preprocess_output_tensor_info_free, (ov_ppp_output_tensor *))

// After a successful swiftodt_openvino_load, no pointer is null.
typedef struct {
#define SWIFTODT_DECLARE(result, name, arguments) result(*name) arguments;
    SWIFTODT_OPENVINO_FUNCTIONS(SWIFTODT_DECLARE)
#undef SWIFTODT_DECLARE
} swiftodt_openvino;

// Returns whether exceptions of the runtime can be caught in this process (see unwinding.c). If not, the runtime must
// not be loaded.
bool swiftodt_openvino_is_loadable(void);

// Loads the library `file` permanently and looks up its functions. Returns null on success. If a function is missing,
// sets `*lacking` and returns the name of the function. If loading fails, returns the error text of the loader. The
// text is valid until the next call on this thread.
const char *swiftodt_openvino_load(const char *file, swiftodt_openvino *functions, bool *lacking);

// The property applies to later compilations and imports on this device.
ov_status swiftodt_openvino_set(
    const swiftodt_openvino *functions, const ov_core *core, const char *device, const char *key, const char *value);

// Compiles a model with the properties that were set for the device.
ov_status swiftodt_openvino_compile(
    const swiftodt_openvino *functions, const ov_core *core, const ov_model *model, const char *device,
    ov_compiled_model **compiled);

// Loads OpenVINO's device plugins and frontends whose file name contains `part`. The runtime would load these libraries
// later, without RTLD_DEEPBIND. If they are already loaded, the runtime uses them. Does nothing if this process does
// not need RTLD_DEEPBIND (see unwinding.c).
void swiftodt_openvino_preload(const swiftodt_openvino *functions, const char *part);

// Returns whether this processor adds the products of 8-bit instructions in 16 bits: x86 without VNNI.
bool swiftodt_eight_bit_sums_overflow(void);

// Returns the file that contains this code: the plugin or the program. Returns null if the loader does not know it.
const char *swiftodt_own_file(void);

// Returns a descriptor, or -1 on failure. The file exists until the descriptor is closed.
int swiftodt_file_in_memory(void);
