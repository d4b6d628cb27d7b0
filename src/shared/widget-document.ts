/**
 * Path of the document in which widgets run: interactive HTML that a model wrote, perhaps following instructions in a page or document. The
 * box serves a constant document at this path; the page shows it in `<iframe sandbox="allow-scripts">` and posts the widget's HTML into it.
 * A `srcdoc` frame wouldn't work, because it inherits the page's own policy, which runs no inline scripts.
 */
export const widgetPath = "/widget"

/** Message from the frame when it is ready for HTML; the page then posts `{ html }` to it. */
export const widgetReady = "casella-widget-ready"

/** Message from the frame when its user presses Escape. The page then takes the focus, whatever the widget does with keys. */
export const widgetLeft = "casella-widget-left"

/** Maximum number of characters of a widget. */
export const maxWidgetLength = 200_000

/**
 * The frame's policy, which applies to all HTML written into it: a separate origin, its own scripts and styles, and no address of any kind.
 * The page's policy (`frame-src`) prevents it from navigating to another address.
 */
export const widgetPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "media-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ")

/**
 * Covers what CSP doesn't: resource hints, name lookups, and navigations before they are refused. `()` lists the addresses that the frame
 * may connect to, in browsers that support the header (Chromium 152 and later, which includes the desktop app).
 */
export const widgetConnections = "()"
