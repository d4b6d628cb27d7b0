/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const completions = {
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "The body must be a JSON object.",
  unsupported_part: "{{field}}: {{what}}",
  history_too_long:
    "The prompt is too long: the conversation doesn't fit what the model can hold. Leave out older messages, or choose a model or set it to hold more at once.",
} as const
