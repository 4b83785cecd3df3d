internal import HTTP

extension Page {
  /// The only resource a page loads.
  static let stylesheetPath = "/_style.css"

  static let stylesheet = Response(
    status: .ok, headers: ["content-type": "text/css; charset=utf-8", "cache-control": "max-age=3600"],
    body: .bytes(Array(css.utf8)))

  private static let css = """
    :root{color-scheme:light dark;--bg:#fdf6e8;--card:#fff;--text:#1c1a17;--edge:#7a6f60;--mark:#6b4a00;--on:#fff;--bad:#a1231e}
    @media (prefers-color-scheme:dark){:root{--bg:#1d1a14;--card:#26221b;--text:#efe9df;--edge:#a39884;--mark:#f0c674;--on:#241a00;--bad:#ff9f97}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
    header{background:var(--mark);color:var(--on);padding:.5rem 1rem;text-align:center}
    header p{margin:0}
    main{max-width:34rem;margin:2rem auto;padding:1rem 1.5rem 2rem;background:var(--card);border:1px solid var(--edge);border-radius:8px}
    h1{font-size:1.5rem}
    h2{font-size:1.125rem}
    a{color:var(--mark)}
    label{display:block;font-weight:600;margin-top:1rem}
    input{width:100%;min-height:2.75rem;padding:.5rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:4px}
    button{min-height:2.75rem;padding:.5rem 1.25rem;margin:1.25rem .5rem 0 0;font:inherit;font-weight:600;border:1px solid var(--mark);border-radius:4px;background:var(--mark);color:var(--on)}
    button.secondary{background:var(--card);color:var(--mark)}
    :focus-visible{outline:3px solid #6346dc;outline-offset:2px}
    .error{color:var(--bad);font-weight:600}
    pre{overflow:auto;padding:1rem;border:1px solid var(--edge);border-radius:4px}

    """
}
