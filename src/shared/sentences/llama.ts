/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const llama = {
  answered_otherwise: "The model process returned an unexpected response. Try again.",
  could_not_answer: "The model couldn't answer.",
  could_not_be_started: "it couldn't be started",
  ended_unexpectedly: "The model process stopped unexpectedly ({{how}}). Send the message again.",
  ended_while_loading:
    "The model process stopped while loading the model. The model may be damaged, or need more memory than is free.",
  entry_count: "number of entries",
  exit_code: "exit code {{exitCode}}",
  file_cut_short: "The model file is incomplete. Download it again.",
  file_damaged: "The model file is damaged ({{what}}). Download it again.",
  file_not_opened: "The model file can't be opened. Check that it exists and that Casella may read it.",
  format_or_functions: "A response format and tools can't be used in one request. Leave out one of them.",
  function_not_given: "The tool to call isn't one of the given tools.",
  gguf_version: "This version of the GGUF format isn't supported. Choose a model file of version 2 or 3.",
  needs_more_memory:
    "The model needs {{size, number}} GB of memory, but only {{free, number}} GB are free. Close other programs, or choose a smaller model.",
  not_gguf: "This file isn't a model in GGUF format. Choose a file that ends in .gguf.",
  not_loaded:
    "The model couldn't be loaded. It may be damaged, too large, or not supported by this version. Choose another one.",
  not_started: "The model couldn't be started.",
  path_is_directory: "This path is a folder. Enter the path of the .gguf file in it.",
  schema_endless:
    "The schema in {{parameter}} refers to itself endlessly, and every property is always written. End it with a list or null.",
  schema_refused: "The schema in {{parameter}} {{fault}}.",
  schema_too_large:
    "The schema in {{parameter}} is too large or too complex for the model engine. Lower its length and count limits, or simplify it.",
  schema_unchecked: "The schema in {{parameter}} has {{what}}, which can't be guaranteed. Leave it out.",
  template_refuses: "The model can't read this chat. Its chat template says: {{reason}}",
  tensor_count: "number of tensors",
  too_many_requests: "The model is answering too many requests at once. Try again in a moment.",
} as const
