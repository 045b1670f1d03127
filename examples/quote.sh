#!/bin/sh
# Asks a running sandbox for a price with nothing but curl:
#
#   sh examples/quote.sh URL USERNAME PASSWORD
#
# URL, user name and password are what `npm start` prints.
set -eu
if [ $# -ne 3 ]; then
  echo "usage: sh examples/quote.sh URL USERNAME PASSWORD" >&2
  exit 2
fi
url=$1
login=$2:$3
ask() { curl --silent --show-error --fail-with-body --user "$login" "$url$1"; echo; }

echo "Chains:"
ask /v1/markets/chains

echo "Tokens:"
tokens=$(ask /v1/markets/tokens)
echo "$tokens"

# The address of USDC in the list above.
usdc=$(echo "$tokens" | tr '{' '\n' | sed -n 's/.*"address":"\(0x[0-9a-fA-F]*\)","symbol":"USDC".*/\1/p')
chain=$(echo "$tokens" | sed 's/.*"chainId":\([0-9]*\).*/\1/')
native=0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE

echo "One ETH in USDC (6 decimals):"
ask "/v1/quote?chainId=$chain&tokenIn=$native&tokenOut=$usdc&tradeType=EXACT_IN&amount=1000000000000000000"
