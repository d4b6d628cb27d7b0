import express, { type RequestHandler } from "express"

/** Serves the support page's files, with the page itself at `/`. */
export function servePage(directory: string): RequestHandler {
  return express.static(directory, {
    index: "index.html",
    redirect: false,
    cacheControl: false,
    dotfiles: "ignore",
  })
}
