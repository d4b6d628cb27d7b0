const host = (name: string) => `${name}.answer.example`

/** An answer that refers to other computers in as many ways as Markdown allows. */
export const hostileAnswer = [
  `[A link](https://${host("link")}/), [by reference][r], <https://${host("angle")}/> and https://${host("bare")}/ and www.${host("www")}.`,
  `[r]: https://${host("reference")}/ "https://${host("title")}/"`,
  `![A picture](https://${host("picture")}/p.png) ![by reference][p] [![both](https://${host("inner")}/p.png)](https://${host("outer")}/)`,
  `[p]: https://${host("picture-reference")}/p.png`,
  `Write to somebody@${host("mail")} or <mailto:somebody@${host("mailto")}>.`,
  `A note[^1].`,
  `[^1]: See https://${host("footnote")}/ and ![](https://${host("footnote-picture")}/p.png)`,
  `| A | B |\n| - | - |\n| https://${host("cell")}/ | ![](https://${host("cell-picture")}/p.png) |`,
  `> - [ ] [task](https://${host("task")}/)`,
  `$\\href{https://${host("formula")}/}{x} + \\url{https://${host("formula-url")}/} + \\includegraphics{https://${host("formula-picture")}/p.png}$`,
  `$$\\htmlStyle{background:url(https://${host("formula-style")}/p.png)}{y}$$`,
  `~~~mermaid\nflowchart LR\na --> b\nclick a "https://${host("diagram")}/"\n~~~`,
  `~~~html\n<img src="https://${host("code")}/p.png">\n~~~`,
  `<img src="https://${host("img")}/p.png"><link rel="preconnect" href="https://${host("preconnect")}/"><link rel="dns-prefetch" href="//${host("dns-prefetch")}"><a href="https://${host("html-link")}/" ping="https://${host("ping")}/">x</a>`,
  `<iframe src="https://${host("frame")}/"></iframe><style>@import "https://${host("style")}/x.css";</style><svg><image href="https://${host("svg")}/p.png"/></svg>`,
  `<meta http-equiv="refresh" content="0;url=https://${host("refresh")}/"><base href="https://${host("base")}/"><video poster="https://${host("poster")}/p.png"></video>`,
  `[Script](javascript:fetch('https://${host("script")}/')) [Data](data:text/html,<img src=https://${host("data")}/>) [Protocol](//${host("protocol")}/)`,
  "This is the end of the answer.",
].join("\n\n")
