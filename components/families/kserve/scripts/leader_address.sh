# Some versions of the engine don't resolve the leader's name themselves, and it may take a while to appear.
address=
for ((attempt = 0; attempt < ${DP_ADDRESS_RESOLVE_ATTEMPTS:-30}; attempt++)); do
  address=$(getent hosts "$LWS_LEADER_ADDRESS" | awk '{ print $1; exit }')
  [ -n "$address" ] && break
  sleep 1
done
address=${address:-$LWS_LEADER_ADDRESS}
