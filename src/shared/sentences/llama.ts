/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const llama = {
  answered_otherwise: "The program that runs the model answered something else.",
  could_not_answer: "The model could not answer.",
  could_not_be_started: "it could not be started",
  ended_unexpectedly: "The program that runs the model ended unexpectedly ({{how}}). Send the message again.",
  ended_while_loading:
    "The program that runs the model ended while it was loading it. The model may be damaged or need more memory than is free.",
  entry_count: "number of entries",
  exit_code: "exit code {{exitCode}}",
  file_cut_short: "The model file is cut short; download it again.",
  file_damaged: "The model file is damaged ({{what}}); download it again.",
  file_not_opened: "The model file can't be opened. Check that it exists and may be read.",
  format_or_functions: "A response format and functions can't be used in one request; leave out one.",
  function_not_given: "The function to call is not among the functions given.",
  gguf_version:
    "The model file has a version of its format (GGUF) that can't be read; choose version 2 or 3.",
  needs_memory:
    "The model needs {{size}} of memory and {{free}} are free. Close other programs or choose a smaller model.",
  not_gguf:
    "The file isn't a model in the format that Casella reads (GGUF); choose a file that ends in .gguf.",
  not_loaded:
    "The model could not be loaded. It may be damaged, too large, or of a kind this version doesn't know; choose another one.",
  not_started: "The model could not be started.",
  path_is_directory: "The model's path is a directory, not a file. Name the file in it, which ends in .gguf.",
  schema_endless:
    "The schema in {{parameter}} refers to itself without an end, and every property is always written; let it end by a list or by null.",
  schema_refused: "The schema in {{parameter}} {{fault}}.",
  schema_too_large:
    "The schema in {{parameter}} is too large or too intricate for the model engine; lower its length and count limits or simplify it.",
  schema_unchecked: "The schema in {{parameter}} has {{what}}, which can't be guaranteed; leave it out.",
  template_refuses: "The model can't read this conversation. Its chat template says: {{reason}}",
  tensor_count: "number of tensors",
  too_many_requests: "The model is answering too many requests at once. Try again in a moment.",
} as const
