# Builds Gatehouse with the scripts of the repository and ships it in a small image without a compiler.
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts ./scripts
RUN ./scripts/setup build
COPY Package.swift ./
COPY Sources ./Sources
COPY Public ./Public
RUN swift build --configuration release --product gatehouse -Xswiftc -static-stdlib -Xlinker -s \
  && install -D "$(swift build --configuration release --show-bin-path)/gatehouse" /out/gatehouse

FROM debian:bookworm-slim
# Debian's stable release is the pin: its packages change for security alone.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates curl libargon2-1 libcurl4 libgssapi-krb5-2 libkrb5-3 libpq5 libsqlite3-0 libssl3 zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /var/lib/gatehouse --create-home --shell /usr/sbin/nologin gatehouse \
  && install -d -o gatehouse -g gatehouse -m 0700 /var/lib/gatehouse/data /etc/gatehouse
COPY --from=build /out/gatehouse /usr/bin/gatehouse
COPY Public /usr/share/gatehouse/Public
USER 10001
WORKDIR /var/lib/gatehouse
ENV GATEHOUSE_LISTEN=0.0.0.0:8080 \
  GATEHOUSE_DATA=/var/lib/gatehouse/data \
  GATEHOUSE_KEK_FILE=/etc/gatehouse/gatehouse.kek \
  GATEHOUSE_PUBLIC=/usr/share/gatehouse/Public
VOLUME ["/var/lib/gatehouse/data", "/etc/gatehouse"]
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=3s CMD ["curl", "--fail", "--silent", "http://127.0.0.1:8080/health/live"]
ENTRYPOINT ["/usr/bin/gatehouse"]
CMD ["serve"]
