# RoCE: the node's adapters that are up, and the index that most of their IPv4 addresses have. What the container sets
# itself stays.
if [ "${KSERVE_INFER_ROCE-}" = true ]; then
  kind=${KSERVE_INFER_IB_GID_INDEX_GREP:-RoCE v2}
  adapters=() ports=() best= most=0
  declare -A indices=()
  for adapter in /sys/class/infiniband/mlx5_*; do
    port=$adapter/ports/1
    grep -qs ACTIVE "$port/state" && grep -qs -- "$kind" "$port"/gid_attrs/types/* || continue
    adapters+=("${adapter##*/}") ports+=("${adapter##*/}:1")
    for type in "$port"/gid_attrs/types/*; do
      index=${type##*/}
      if grep -qs -- "$kind" "$type" && grep -qs ffff: "$port/gids/$index"; then
        indices[$index]=$((${indices[$index]:-0} + 1))
        break
      fi
    done
  done
  for index in "${!indices[@]}"; do
    count=${indices[$index]}
    if ((count > most || (count == most && index == 3))); then best=$index most=$count; fi
  done
  if [ ${#adapters[@]} -gt 0 ]; then
    names=$(IFS=,; echo "${adapters[*]}") names_and_ports=$(IFS=,; echo "${ports[*]}")
    export NCCL_IB_HCA=${NCCL_IB_HCA:-$names} NVSHMEM_HCA_LIST=${NVSHMEM_HCA_LIST:-$names_and_ports}
    export UCX_NET_DEVICES=${UCX_NET_DEVICES:-$names_and_ports}
  fi
  best=${NCCL_IB_GID_INDEX:-$best}
  if [ ${#adapters[@]} -gt 0 ] && [ -n "$best" ]; then
    export NCCL_IB_GID_INDEX=$best NVSHMEM_IB_GID_INDEX=${NVSHMEM_IB_GID_INDEX:-$best}
    export UCX_IB_GID_INDEX=${UCX_IB_GID_INDEX:-$best}
  fi
  echo "RoCE: NCCL_IB_HCA=${NCCL_IB_HCA-} NCCL_IB_GID_INDEX=${NCCL_IB_GID_INDEX-}"
fi
