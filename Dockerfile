# `aicx serve mcp` over HTTP for a corpus that is mounted at /corpus; docs/releasing.md says how it is built and run.
FROM python:3.13-slim AS build
COPY . /source
RUN python -m pip wheel --no-cache-dir --no-deps -w /wheels /source

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir "$(ls /wheels/*.whl)[mcp]" && rm -r /wheels \
    && useradd --create-home --uid 1000 aicx && install -d -o aicx -m 700 /corpus
USER aicx
ENV AICX_HOME=/corpus
VOLUME /corpus
EXPOSE 8044
# A token comes from AICX_HTTP_AUTH_TOKEN, else from the file auth-token of the corpus.
ENTRYPOINT ["aicx"]
CMD ["serve", "mcp", "--transport", "http", "--host", "0.0.0.0"]
