/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const completions = {
  invalid_field: "{{field}}: {{what}}.",
  not_an_object: "The body must be a JSON object.",
} as const
