# Posthorn as one image, for amd64 and arm64: nothing here depends on the processor, npm installs the SQLite that fits.
#   docker build -t posthorn .
#   docker run --rm -p 127.0.0.1:3000:3000 -v posthorn:/data posthorn
# docs/deploy.md says more.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
ARG REPOSITORY=https://git.example.com/posthorn.git
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && npm run pack:all -- --installation --out /app --repository "${REPOSITORY}"
WORKDIR /app
RUN npm ci --omit=dev --ignore-scripts && rm -rf packages

FROM ${NODE_IMAGE}
RUN groupadd --gid 10001 posthorn && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin posthorn && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /app /app
# Temporary files of SQLite and of imports go to the only place that can be written.
ENV NODE_ENV=production PATH=/app/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOST=0.0.0.0 PORT=3000 POSTHORN_DATA_DIR=/data POSTHORN_METRICS_PORT=9464 TMPDIR=/data
USER 10001:10001
WORKDIR /app
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Of workers, too: they answer on the port of the metrics alone.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/deploy/healthcheck.js"]
CMD ["posthorn-server"]
