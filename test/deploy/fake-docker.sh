#!/bin/sh
# Replaces docker in tests: logs its arguments, and responds as the FAKE_* variables say.
echo "$*" >>"$FAKE_LOG"
fails() { case ",$FAKE_FAIL," in *",$1,"*) exit 1 ;; esac; }
case "$1" in
  info) fails info ;;
  compose)
    shift
    fails "compose-$1"
    ;;
  image) fails image ;;
  inspect) echo "${FAKE_HEALTH:-healthy}" ;;
  ps) [ -z "$FAKE_OPENCLAW" ] || echo 0123456789ab ;;
  exec)
    shift 3
    case "$1" in
      remember) echo "$2" >"$FAKE_LOG.key" ;;
      get) echo "the smoke test was here" ;;
      recall) [ -n "$FAKE_FORGETFUL" ] || cat "$FAKE_LOG.key" ;;
    esac
    ;;
esac
exit 0
