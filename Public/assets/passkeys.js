// Asks the browser for a passkey and sends what it answers with the form of the page. Without this script the buttons for
// passkeys are not shown; everything else works.
"use strict";

(() => {
  if (!window.PublicKeyCredential || !navigator.credentials) return;

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer ?? []))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const descriptors = (known) => known.split(" ").filter(Boolean).map((id) => ({ type: "public-key", id: bytes(id) }));
  const loaded = Date.now();
  // A challenge counts for five minutes.
  const lifetime = 4 * 60 * 1000;

  /** The form's challenge, or a new one of the same page when that is old. */
  const challenge = async (form) => {
    if (Date.now() - loaded < lifetime) return new TextEncoder().encode(form.dataset.challenge);
    const page = await (await fetch(location.href)).text();
    const found = page.match(/data-challenge="([^"]+)"/);
    return new TextEncoder().encode(found ? found[1] : form.dataset.challenge);
  };

  const send = (form, values) => {
    for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
    form.submit();
  };

  const create = async (form) => {
    const data = form.dataset;
    const { response } = await navigator.credentials.create({
      publicKey: {
        challenge: await challenge(form),
        rp: { id: data.relyingParty, name: data.relyingPartyName },
        user: { id: bytes(data.user), name: data.userName, displayName: data.userDisplayName },
        pubKeyCredParams: data.algorithms.split(" ").map((alg) => ({ type: "public-key", alg: Number(alg) })),
        excludeCredentials: descriptors(data.known),
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
      },
    });
    send(form, { client_data: text(response.clientDataJSON), attestation: text(response.attestationObject) });
  };

  const get = async (form, more) => {
    const credential = await navigator.credentials.get({
      publicKey: {
        challenge: await challenge(form),
        rpId: form.dataset.relyingParty,
        allowCredentials: descriptors(form.dataset.known),
        userVerification: form.dataset.known ? "preferred" : "required",
      },
      ...more,
    });
    const { response } = credential;
    send(form, {
      credential: text(credential.rawId),
      user_handle: text(response.userHandle),
      client_data: text(response.clientDataJSON),
      authenticator_data: text(response.authenticatorData),
      signature: text(response.signature),
    });
  };

  /** Offers passkeys in the list under the field for the name, until the button is pressed; not after a refusal. */
  const offer = async (form, waiting) => {
    if (document.querySelector(".summary")) return;
    const isPossible = await PublicKeyCredential.isConditionalMediationAvailable?.();
    if (!isPossible || form.dataset.known || waiting.signal.aborted) return;
    await get(form, { mediation: "conditional", signal: waiting.signal });
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    const waiting = new AbortController();
    // Whoever takes no passkey, or waits too long, goes on in another way: that is no fault.
    const failed = () => form.querySelector("[data-failed]")?.removeAttribute("hidden");
    if (form.dataset.passkey === "get") offer(form, waiting).catch(() => {});
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      waiting.abort();
      (form.dataset.passkey === "create" ? create(form) : get(form)).catch(failed);
    });
  }
})();
