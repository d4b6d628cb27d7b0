/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const completions = {
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "The body must be a JSON object.",
  unsupported_part: "{{field}}: {{what}}",
  history_too_long:
    "The prompt is too long: the chat doesn't fit in the model's context window. Remove older messages, or choose a model with a larger context window.",
} as const
