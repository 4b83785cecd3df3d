extension Page {
  /// The portal's front page: who is registered here, and where to look.
  static func home(_ configuration: SimulatorConfiguration) -> Page {
    let users = configuration.users.map { user -> HTML in
      "<li><b><bdi>\(user.name)</bdi></b>, \(user.isEntitled ? "may" : "may not") read the traffic layer</li>"
    }
    let clients = configuration.clients.map { client -> HTML in
      "<li><code>\(client.id)</code> → \(client.redirectURIs.joined(separator: ", "))</li>"
    }
    return Page(
      title: "Simulated ArcGIS portal",
      content: """
        <p>This program pretends to be an ArcGIS portal with a federated server, for demos and tests.</p>
        <h2>Members</h2>
        <ul>\(HTML(joining: users))</ul>
        <h2>Registered apps</h2>
        <ul>\(HTML(joining: clients))</ul>
        <h2>Look around</h2>
        <ul>
        <li><a href="/sharing/rest/portals/self">The portal</a></li>
        <li><a href="/sharing/rest/content/items/\(WebMap.itemID)/data">The traffic web map</a></li>
        <li><a href="/server/rest/services">The federated server's services</a></li>
        <li><a href="/_counters">Calls counted</a>, <a href="/_faults">faults set</a></li>
        </ul>
        """)
  }
}
