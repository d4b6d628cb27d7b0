/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const pictures = {
  elsewhere: "Images at web addresses aren't downloaded. Put the image into the request as a data: URL.",
  ended: "The process that prepares images for models stopped twice. Try again.",
  not_data: "An image must be a data: URL with the base64 of a PNG, JPEG, WebP or GIF.",
  not_seen: "{{model}} doesn't support images. Choose a model that does, or remove the image.",
  one_of: "{{name}}: {{what}}",
  too_large: "The image is larger than {{count, number}} MB. Use a smaller copy.",
  too_many: "A request can contain {{count, number}} images at most. Remove some of them.",
} as const
